// Requests to the server, and its events.
export let language = "";
export function speak(name) { language = name; }

export class Refusal extends Error {
  constructor(status, body) {
    super(body.error ?? String(status));
    this.status = status;
    this.body = body;
  }
}

export function address(path, query = {}) {
  const all = new URLSearchParams(language ? {...query, lang: language} : query).toString();
  return `api/${path}${all ? "?" + all : ""}`;
}

async function request(method, path, body, query) {
  const options = {method, headers: {}, credentials: "same-origin", cache: "no-store"};
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  const response = await fetch(address(path, query), options);
  const text = await response.text();
  let answer;
  try { answer = JSON.parse(text); } catch { answer = {error: text.trim()}; }
  if (!response.ok) throw new Refusal(response.status, answer);
  return answer;
}

export const get = (path, query) => request("GET", path, undefined, query);
export const post = (path, body = {}) => request("POST", path, body);
export const put = (path, body) => request("PUT", path, body);
export const remove = path => request("DELETE", path);

// Calls the listeners {event: (data) => …}. `connected(false)` when the server cannot be reached; the browser
// tries again by itself.
export function listen(listeners, connected) {
  const source = new EventSource(address("events"));
  source.onopen = () => connected(true);
  source.onerror = () => connected(false);
  for (const [event, listener] of Object.entries(listeners))
    source.addEventListener(event, message => listener(JSON.parse(message.data)));
  return source;
}
