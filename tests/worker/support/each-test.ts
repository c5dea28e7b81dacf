import { afterEach, beforeEach } from 'vitest'

type Restored = { restore?: () => void; origins?: { restore: () => void } }

/** A scene or world that `make` makes anew before each test of the file; the fetch that it replaced comes back behind each. */
export function eachTest<Made extends object>(make: () => Made | Promise<Made>): Made {
  let current: (Made & Restored) | undefined
  const made = () => {
    if (!current) throw new Error('Made before each test: there is none yet')
    return current
  }
  beforeEach(async () => {
    current = await make()
  })
  afterEach(() => {
    const { restore, origins } = made()
    if (restore) restore()
    else origins?.restore()
    current = undefined
  })
  return new Proxy({} as Made, {
    get: (_, name) => Reflect.get(made(), name),
    set: (_, name, value) => Reflect.set(made(), name, value),
    has: (_, name) => Reflect.has(made(), name),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, name) => ({ ...Reflect.getOwnPropertyDescriptor(made(), name), configurable: true }),
  })
}
