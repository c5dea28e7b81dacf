/** The Worker of whom a story tells: this checkout's, or that of a copy. */
declare module 'told:worker' {
  import type { prepare } from './simulation.ts'

  const worker: Parameters<typeof prepare>[0]
  export default worker
}
