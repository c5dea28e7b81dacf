/** A row as the driver has it: flags are numbers. */
export type Flagged<Row, Flag extends keyof Row> = Omit<Row, Flag> & Record<Flag, number>

export const readFlags = <Row extends object, Flag extends keyof Row>(row: Row, ...flags: Flag[]) =>
  ({ ...row, ...Object.fromEntries(flags.map((flag) => [flag, row[flag] === 1])) }) as Omit<Row, Flag> &
    Record<Flag, boolean>
