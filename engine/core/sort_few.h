// A stable sort of a few items, without memory of its own: std::stable_sort asks for some even for one item.
#pragma once

namespace mt {

// Insertion: dimensions are a handful.
template <class Item, class Before> void sort_few(Item* first, Item* last, Before before) {
  for (Item* next = first; next < last; ++next) {
    const Item item = *next;
    Item* place = next;
    for (; place > first && before(item, place[-1]); --place) *place = place[-1];
    *place = item;
  }
}

}  // namespace mt
