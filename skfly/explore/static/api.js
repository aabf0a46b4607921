// The JSON API: every question is a POST with an object, every answer an object.

const KEY = "skfly-token";

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let memory = null; // where the browser forbids storage

export function setToken(token) {
  memory = token;
  try {
    sessionStorage.setItem(KEY, token);
  } catch {
    // kept in memory only
  }
}

function getToken() {
  try {
    return sessionStorage.getItem(KEY) ?? memory;
  } catch {
    return memory;
  }
}

export async function ask(path, fields = {}, signal = undefined) {
  if (document.querySelector('meta[name="skfly-data"]')) {
    const found = await (await import("./readonly.js")).answer(path, fields);
    signal?.throwIfAborted();
    return found;
  }
  const headers = { "Content-Type": "application/json" };
  const token = getToken();
  if (token) headers.Authorization = `Bearer ${token}`;
  let response;
  try {
    response = await fetch(`/api/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(fields),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, "The server does not respond. Is skfly explore still running?");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(response.status, answer.error ?? `Error ${response.status}`);
  return answer;
}

/** Returns a function that asks, and forgets what was asked before it. */
export function latest() {
  let controller = null;
  return (path, fields) => {
    controller?.abort();
    controller = new AbortController();
    return ask(path, fields, controller.signal);
  };
}
