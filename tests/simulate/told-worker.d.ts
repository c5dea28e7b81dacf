/** The Worker of whom a story tells: this checkout's, or that of a copy. */
declare module 'told:worker' {
  import type { Handlers } from './world.ts'

  const worker: Handlers
  export default worker
}
