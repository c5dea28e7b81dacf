type Counts = Record<'critical' | 'high' | 'medium' | 'low' | 'unscored', number>
type Counted = Counts & { inventory_id: number; day: string }
type SummedDay = Counts & { day: string }

/** The sum of all inventories for each day on which one was counted; one that was not counts as on its day before. */
export function sumDays(counted: Counted[]): SummedDay[] {
  const latest = new Map<number, Counts>()
  const days = [...Map.groupBy(counted, ({ day }) => day)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return days.map(([day, rows]) => {
    for (const row of rows) latest.set(row.inventory_id, row)
    const sum = (band: keyof Counts) => [...latest.values()].reduce((total, row) => total + row[band], 0)
    return {
      day,
      critical: sum('critical'),
      high: sum('high'),
      medium: sum('medium'),
      low: sum('low'),
      unscored: sum('unscored'),
    }
  })
}
