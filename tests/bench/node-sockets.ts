import { connect as connectNode } from 'node:net'
import { Duplex } from 'node:stream'

/** `cloudflare:sockets` in this process, as far as the worker's mails need it: without encryption. */
export function connect({ hostname, port }: { hostname: string; port: number }) {
  const socket = connectNode(port, hostname)
  // Whoever reads or writes hears of it, too.
  socket.on('error', () => undefined)
  const { readable, writable } = Duplex.toWeb(socket)
  return { readable, writable, close: async () => void socket.destroy() }
}
