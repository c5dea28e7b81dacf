export class SourceError extends Error {
  readonly retry_after_s: number | null

  constructor(message: string, retry_after_s: number | null = null) {
    super(message)
    this.retry_after_s = retry_after_s
  }
}
