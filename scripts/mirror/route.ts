import type { IncomingMessage, ServerResponse } from 'node:http'

export type MirrorCall = {
  folder: string
  /** The folder for composed files. */
  cache: string
  url: URL
  match: RegExpExecArray
  request: IncomingMessage
  response: ServerResponse
}

/** Answer of the mirror for a path, as its origin would give it. */
export type MirrorRoute = { pattern: RegExp; answer(exchange: MirrorCall): unknown }
