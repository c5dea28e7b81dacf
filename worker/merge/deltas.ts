export class Deltas {
  private readonly byName = new Map<string, { by: number; at: string }>()

  add(names: string[], by: number, at = '') {
    for (const name of names) {
      const known = this.byName.get(name)
      this.byName.set(name, known ? { by: known.by + by, at: known.at > at ? known.at : at } : { by, at })
    }
  }

  names = () => [...this.byName.keys()]
  entries = () => [...this.byName].filter(([, { by }]) => by !== 0)
}
