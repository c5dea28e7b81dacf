/** `problem` goes on after what was sent: "The spreadsheet", "The archive". */
export class ArchiveError extends Error {
  readonly problem: string

  constructor(problem: string) {
    super(`The archive ${problem}`)
    this.problem = problem
  }
}
