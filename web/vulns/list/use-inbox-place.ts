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
