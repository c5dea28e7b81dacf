/** The same numbers for the same seed (mulberry32). Their takers come in the same order in the same story. */
export class SeededChance {
  private state: number

  constructor(seed: number) {
    this.state = seed >>> 0
  }

  random = () => {
    const state = (this.state + 0x6d2b79f5) >>> 0
    this.state = state
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  is = (share: number) => this.random() < share
  int = (least: number, most: number) => least + Math.floor(this.random() * (most - least + 1))
  pick = <One>(of: readonly One[]): One => {
    const one = of[this.int(0, of.length - 1)]
    if (one === undefined) throw new Error('Nothing to pick from')
    return one
  }
}
