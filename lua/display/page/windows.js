// The windows of display: each message of the server makes one, or changes the one that has its id.
'use strict';

(() => {
  const board = document.getElementById('board');
  const state = document.getElementById('state');
  const clear = document.getElementById('clear');
  const panes = new Map();

  function node(name, properties, parent) {
    const made = Object.assign(document.createElement(name), properties);
    if (parent) parent.appendChild(made);
    return made;
  }

  function close(id) {
    const pane = panes.get(id);
    if (pane.observer) pane.observer.disconnect();
    pane.root.remove();
    panes.delete(id);
    clear.hidden = panes.size === 0;
  }

  function paneOf(id) {
    if (panes.has(id)) return panes.get(id);
    const root = node('section', { className: 'pane' }, board);
    const bar = node('header', {}, root);
    const pane = { root, title: node('h2', {}, bar), tools: node('span', {}, bar), content: node('div', { className: 'content' }, root) };
    const button = node('button', { type: 'button', textContent: '\u00d7', title: 'Close' }, bar);
    button.setAttribute('aria-label', 'Close');
    button.addEventListener('click', () => close(id));
    panes.set(id, pane);
    clear.hidden = false;
    return pane;
  }

  function saveLink(pane, href, name) {
    const link = node('a', { className: 'tool', href, download: name, textContent: '\u2193', title: 'Save' }, pane.tools);
    link.setAttribute('aria-label', 'Save');
  }

  // Clears a window for another kind of content; of the same kind, it keeps its size and what the user chose.
  function become(pane, type) {
    pane.tools.replaceChildren();
    if (pane.type === type) return;
    if (pane.observer) pane.observer.disconnect();
    if (pane.legend) pane.legend.remove();
    Object.assign(pane, { type, observer: null, legend: null, chosen: {}, width: null });
    pane.root.className = 'pane ' + type;
    pane.content.removeAttribute('style');
    pane.content.replaceChildren();
  }

  const show = {
    image(pane, content, name) {
      const src = String(content.src || '');
      const picture = node('img', { src, alt: pane.title.textContent });
      picture.addEventListener('load', () => {
        if (pane.width === null) pane.content.style.width = Math.max(96, content.width || picture.naturalWidth) + 'px';
        pane.width = content.width || picture.naturalWidth;
        picture.className = pane.content.clientWidth >= 2 * picture.naturalWidth ? 'pixels' : '';
      });
      pane.content.replaceChildren(picture);
      for (const [x, y, text] of content.labels || []) {
        const label = node('span', { className: 'label', textContent: text }, pane.content);
        label.style.left = 100 * x + '%';
        label.style.top = 100 * y + '%';
      }
      saveLink(pane, src, name + '.jpg');
    },
    plot(pane, content) {
      if (!pane.legend) pane.legend = node('div', { className: 'legend' }, pane.root);
      const redraw = () => Plot.draw(pane.content, content, pane.chosen, pane.legend);
      if (content.width && !pane.width) pane.content.style.width = content.width + 'px';
      if (content.height && !pane.width) pane.content.style.height = content.height + 'px';
      pane.width = content.width || true;
      if (pane.observer) pane.observer.disconnect();
      pane.observer = new ResizeObserver(redraw);
      pane.observer.observe(pane.content);
      redraw();
    },
    text(pane, content) {
      pane.content.innerHTML = String(content);
    },
    audio(pane, content, name) {
      const src = String(content);
      pane.content.replaceChildren(node('audio', { src, controls: true }));
      saveLink(pane, src, name + '.' + (/^data:audio\/(\w+)/.exec(src) || [0, 'wav'])[1]);
    },
  };

  // Programs with packages of before 2016 send flat messages.
  function modern(message) {
    if (message.command === 'pane') return message;
    const content = { image: message, plot: message.options, text: message.text }[message.command];
    return content === undefined ? null : { ...message, command: 'pane', type: message.command, content };
  }

  function receive(text) {
    let message;
    try { message = modern(JSON.parse(text)); } catch (error) { return; }
    if (!message || !Object.hasOwn(show, message.type) || message.content === undefined || message.content === null) return;
    const id = String(message.id);
    const pane = paneOf(id);
    become(pane, message.type);
    if (message.title || !pane.title.textContent) pane.title.textContent = message.title || id;
    pane.title.title = pane.title.textContent;
    show[message.type](pane, message.content, pane.title.textContent.replace(/[^\w-]+/g, '_'));
  }

  clear.addEventListener('click', () => [...panes.keys()].forEach(close));

  const events = new EventSource('events');
  const tell = (text, isOpen) => { state.textContent = text; state.className = isOpen ? 'open' : ''; };
  events.onopen = () => tell('connected', true);
  events.onerror = () => tell('no connection to the server', false);
  events.onmessage = (event) => receive(event.data);
})();
