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

/** Null as well where the browser lets nobody read. */
export function findKept(key: string, store: Store = 'browser') {
  try {
    return stores[store]().getItem(key)
  } catch {
    return null
  }
}
