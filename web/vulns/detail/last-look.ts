import { useEffect, useState } from 'react'
import { z } from 'zod'
import { useSession } from '../../session/session'

/** Of so many vulnerabilities this browser knows when they were looked at. */
const kept = 300
const Looks = z.array(z.tuple([z.int(), z.string()])).max(kept)

/** When this user looked at the vulnerability the last time before now, in this browser; null for never. */
export function useLastLook(id: number) {
  const { user } = useSession()
  const key = `EarshotLooks${user?.id ?? 0}`
  const [before, setBefore] = useState(() => ({ id, at: findLook(key, id) }))
  if (before.id !== id) setBefore({ id, at: findLook(key, id) })
  useEffect(() => writeLook(key, id), [key, id])
  return before.at
}

const findLook = (key: string, id: number) => readLooks(key).find(([known]) => known === id)?.[1] ?? null

function writeLook(key: string, id: number) {
  const others = readLooks(key).filter(([known]) => known !== id)
  localStorage.setItem(
    key,
    JSON.stringify([[id, `${new Date().toISOString().slice(0, 19)}Z`], ...others].slice(0, kept)),
  )
}

function readLooks(key: string) {
  try {
    return Looks.parse(JSON.parse(localStorage.getItem(key) ?? '[]'))
  } catch {
    return []
  }
}
