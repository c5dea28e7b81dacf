import { connect as connectNode } from 'node:net'
import { Duplex } from 'node:stream'

/** The parts of `cloudflare:sockets` that mails need, without encryption. */
export function connect({ hostname, port }: { hostname: string; port: number }) {
  const socket = connectNode(port, hostname)
  // The streams report errors, too.
  socket.on('error', () => undefined)
  const { readable, writable } = Duplex.toWeb(socket)
  return { readable, writable, close: async () => void socket.destroy() }
}
