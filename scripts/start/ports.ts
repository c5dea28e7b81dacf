import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from './failure.ts'

/** Waits a little for the port, because a process that was just killed needs a moment to release it. */
export async function requireFreePort(port: number) {
  for (let tries = 0; tries < 10; tries++) {
    if (await isFree(port)) return
    await sleep(200)
  }
  throw new StartFailure(`Port ${port} is in use; choose another one: PORT=${port + 10} npm start`)
}

export async function findFreePort(wished: number) {
  if (wished <= 65_535 && (await isFree(wished))) return wished
  return 0
}

/** On both loopback addresses, because `localhost` may mean either. */
async function isFree(port: number) {
  return (await isFreeOn(port, '127.0.0.1')) && (await isFreeOn(port, '::1'))
}

function isFreeOn(port: number, host: string) {
  return new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRNOTAVAIL'))
    server.listen(port, host, () => server.close(() => resolve(true)))
  })
}
