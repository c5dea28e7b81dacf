import { createContext, use, useMemo, useState, type ReactNode } from 'react'

type Selection = {
  ids: ReadonlySet<number>
  /** Whether the rows show their checkboxes: from the first selection on, or because somebody wants to select. */
  isOn: boolean
  setOn: (isOn: boolean) => void
  select: (ids: Iterable<number>) => void
  toggle: (id: number) => void
}

const ignore = () => undefined
const SelectionContext = createContext<Selection>({
  ids: new Set(),
  isOn: false,
  setOn: ignore,
  select: ignore,
  toggle: ignore,
})

/** A context, so that a choice draws the checkboxes again and not whole rows. */
export function SelectionProvider({ children }: { children: ReactNode }) {
  const [ids, setIds] = useState<ReadonlySet<number>>(new Set())
  const [isWanted, setWanted] = useState(false)
  const isOn = isWanted || ids.size > 0
  const selection = useMemo(
    () => ({
      ids,
      isOn,
      setOn: (wanted: boolean) => {
        setWanted(wanted)
        if (!wanted) setIds(new Set())
      },
      select: (chosen: Iterable<number>) => setIds(new Set(chosen)),
      toggle: (id: number) => setIds((current) => toggled(current, id)),
    }),
    [ids, isOn],
  )
  return <SelectionContext value={selection}>{children}</SelectionContext>
}

export const useSelection = () => use(SelectionContext)

function toggled(ids: ReadonlySet<number>, id: number) {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
