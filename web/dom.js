// Builds elements. Texts become text nodes, so nothing that a kernel prints is read as HTML.

// h("button", {class: "main", onclick: f}, "Check"): attributes, listeners (on…) and children.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

// An element whose content is HTML that this server has made from the course's texts.
export function from_html(tag, attributes, html) {
  const element = h(tag, attributes);
  element.innerHTML = html;
  return element;
}

export function button(text, onclick, attributes = {}) {
  return h("button", {type: "button", onclick, ...attributes}, text);
}

export const by_id = id => document.getElementById(id);

// A sentence of the tool: what stands between backticks is code.
export function sentence(text) {
  return text.split("`").map((piece, i) => i % 2 === 1 ? h("code", {}, piece) : piece);
}
