const stores = { browser: () => localStorage, tab: () => sessionStorage }
type Store = keyof typeof stores

/** Keeps a text in this browser, or in this tab. A browser that refuses, as in a private window or when it is full, only forgets. */
export function keep(key: string, value: string | null, store: Store = 'browser') {
  try {
    if (value === null) stores[store]().removeItem(key)
    else stores[store]().setItem(key, value)
  } catch (error) {
    console.warn(`The browser did not keep ${key}`, error)
  }
}

/** A kept value, whose form is for the caller to check; nothing where it is no JSON. */
export function readKept(key: string, store?: Store): unknown {
  try {
    return JSON.parse(findKept(key, store) ?? '')
  } catch {
    return undefined
  }
}

/** Null as well where the browser lets nobody read. */
export function findKept(key: string, store: Store = 'browser') {
  try {
    return stores[store]().getItem(key)
  } catch {
    return null
  }
}
