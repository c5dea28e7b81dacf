import { readFileSync } from 'node:fs'

/** Ends this process and all that it started: on a signal, on a failure, or when npm, its parent, is gone. */
export function onStop(cleanUp: () => Promise<void>) {
  const controller = new AbortController()
  const stop = async (code: number) => {
    if (controller.signal.aborted) return
    controller.abort()
    await cleanUp()
    process.exit(code)
  }
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void stop(0))

  const parents = listParents()
  setInterval(() => listParents() !== parents && void stop(0), 500).unref()
  return {
    signal: controller.signal,
    fail: (reason: unknown) => {
      if (!controller.signal.aborted) console.error(reason)
      return stop(1)
    },
  }
}

// Between npm and this process there is a shell, which stays when npm is killed.
function listParents() {
  if (!process.env.npm_lifecycle_event || process.platform !== 'linux') return String(process.ppid)
  try {
    const [, , shellParent] = /\) (\S) (\d+)/.exec(readFileSync(`/proc/${process.ppid}/stat`, 'utf8')) ?? []
    return `${process.ppid} ${shellParent}`
  } catch {
    return 'gone'
  }
}
