import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailure } from './failure.ts'
import { root } from './options.ts'

const follow = new URL('follow-parent.mjs', import.meta.url)
const running = new Set<ChildProcess>()

export type Child = { exited: Promise<number | null>; tail: () => string }

/** Runs a tool of node_modules in a process group of its own, so that the tool and what it starts can be stopped together. */
export function launch(args: string[], env: Record<string, string>, onLine?: (line: string) => void): Child {
  const nodeOptions = `${process.env.NODE_OPTIONS ?? ''} --import ${follow.href}`.trim()
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, NODE_OPTIONS: nodeOptions },
  })
  running.add(child)
  const lines: string[] = []
  const keep = (line: string) => {
    if (!line.trim()) return
    lines.push(line)
    if (lines.length > 60) lines.shift()
    onLine?.(line)
  }
  createInterface(child.stdout).on('line', keep)
  createInterface(child.stderr).on('line', keep)
  // Its own children may outlive it, and would keep the port.
  child.once('exit', () => signal(child, 'SIGKILL'))
  const exited = once(child, 'close').then(() => {
    running.delete(child)
    return child.exitCode
  })
  return { exited, tail: () => lines.join('\n') }
}

export async function run(what: string, args: string[], env: Record<string, string> = {}) {
  const child = launch(args, env)
  if ((await child.exited) !== 0) throw new StartFailure(`${what} failed:\n${child.tail()}`)
}

export async function stopChildren() {
  const children = [...running]
  for (const child of children) signal(child, 'SIGTERM')
  const all = Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
  await Promise.race([all, sleep(5000, undefined, { ref: false })])
  for (const child of children) signal(child, 'SIGKILL')
}

function signal({ pid }: ChildProcess, name: NodeJS.Signals) {
  if (!pid) return
  if (process.platform === 'win32') {
    spawnSync('taskkill', ['/pid', String(pid), '/T', '/F'])
    return
  }
  try {
    process.kill(-pid, name)
  } catch {
    // The whole group has ended already.
  }
}
