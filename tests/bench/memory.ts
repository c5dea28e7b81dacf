import { readdirSync, readFileSync } from 'node:fs'

/** Watches the resident memory of the Workers runtime (Linux); the peak in bytes, 0 if it cannot be read. */
export function measureMemory() {
  let peak = 0
  const timer = setInterval(() => (peak = Math.max(peak, residentBytes())), 250)
  return {
    now: residentBytes,
    stop: () => {
      clearInterval(timer)
      return peak
    },
  }
}

function residentBytes() {
  let pids: string[]
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return 0
  }
  return Math.max(0, ...pids.map(readResident))
}

function readResident(pid: string) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    if (!/^Name:\s+workerd/m.test(status)) return 0
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}
