// A stable sort for a few items that allocates nothing; std::stable_sort allocates even for one item.
#pragma once

namespace mt {

// Insertion sort: there are few dimensions.
template <class Item, class Before> void sort_few(Item* first, Item* last, Before before) {
  for (Item* next = first; next < last; ++next) {
    const Item item = *next;
    Item* place = next;
    for (; place > first && before(item, place[-1]); --place) *place = place[-1];
    *place = item;
  }
}

}  // namespace mt
