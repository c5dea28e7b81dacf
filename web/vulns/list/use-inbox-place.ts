import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router-dom'
import { useIsLeaving } from '../../lib/leaving'
import { openQuery } from '../../../worker/domain/decisions/status'
import { noRow } from '../inbox-address'

/** Mode and row are in the address, so that people can link to them and go back. */
export function useInboxPlace() {
  const [params, setParams] = useSearchParams()
  const written = params.get('inbox')
  const isLeaving = useIsLeaving()
  const change = (edit: (params: URLSearchParams) => void, replace = false) => {
    // The row that the keys came to before it was opened.
    if (replace && isLeaving) return
    setParams(
      (current) => {
        const next = new URLSearchParams(current)
        edit(next)
        return next
      },
      { replace, preventScrollReset: true },
    )
  }
  return {
    isInbox: written !== null,
    openId: Number(written) > 0 ? Number(written) : undefined,
    open: (id: number | undefined, { replace = true } = {}) =>
      change((next) => next.set('inbox', String(id ?? noRow)), replace),
    start: () =>
      change((next) => {
        next.set('inbox', noRow)
        if (next.has('q') || next.has('search')) return
        next.set('monitored', 'true')
        next.set('q', openQuery)
      }),
    stop: () =>
      change((next) => {
        next.delete('inbox')
        if (next.get('q') !== openQuery) return
        next.delete('q')
        next.delete('monitored')
      }),
  }
}

const written_ms = 250

type Place = Pick<ReturnType<typeof useInboxPlace>, 'openId' | 'open'>

/** Shows a row at once, but writes it into the address only after a pause: browsers limit such changes. */
export function useOpenRow(place: Place, isWide: boolean) {
  const [shown, setShown] = useState(place.openId)
  // The place of the address, and later ones that it was told. The router may pass it on only when the keys have gone further.
  const written = useRef([place.openId])
  const set = (id: number | undefined, replace?: boolean) => {
    if (id === written.current.at(-1)) return
    written.current.push(id)
    place.open(id, { replace })
  }
  const write = useDebouncedCallback(set, written_ms)
  useEffect(() => {
    const at = written.current.indexOf(place.openId)
    written.current = at === -1 ? [place.openId] : written.current.slice(at)
    // Back, forward and links change it too.
    if (at === -1) setShown(place.openId)
  }, [place.openId])
  const open = (id: number | undefined) => {
    setShown(id)
    if (isWide) write(id)
    // A sheet is a step of its own, so that Back closes it.
    else set(id, id === undefined)
  }
  return [shown, open] as const
}
