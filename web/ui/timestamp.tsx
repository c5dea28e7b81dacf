import { formatDate, formatDateTime, formatRelative } from '../lib/format'

type Props = { at: string | null; withTime?: boolean; isRelative?: boolean }

export function Timestamp({ at, withTime = false, isRelative = false }: Props) {
  if (!at) return <span>n/a</span>
  const short = withTime ? formatDateTime(at) : formatDate(at)
  return (
    <time
      dateTime={at}
      style={{ whiteSpace: withTime ? undefined : 'nowrap' }}
      title={isRelative ? formatDateTime(at) : formatRelative(at)}
    >
      {isRelative ? formatRelative(at) : short}
    </time>
  )
}

/** After words; nothing where there is no time. */
export const Dated = ({ words, ...time }: Props & { words: string }) =>
  time.at && (
    <>
      {words} <Timestamp {...time} />
    </>
  )
