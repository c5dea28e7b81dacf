import { createContext, use, useMemo, useState } from 'react'
import type { ReactNode } from 'react'

type Selection = { ids: ReadonlySet<number>; select: (ids: Iterable<number>) => void; toggle: (id: number) => void }

const none: Selection = { ids: new Set(), select: () => undefined, toggle: () => undefined }
const SelectionContext = createContext(none)

/** A context, so that a choice draws the checkboxes again and not whole rows. */
export function SelectionProvider({ children }: { children: ReactNode }) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const selection = useMemo(
    () => ({
      ids,
      select: (chosen: Iterable<number>) => setIds(new Set(chosen)),
      toggle: (id: number) => setIds((current) => toggled(current, id)),
    }),
    [ids],
  )
  return <SelectionContext value={selection}>{children}</SelectionContext>
}

export const useSelection = () => use(SelectionContext)

function toggled(ids: ReadonlySet<number>, id: number) {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
