import { joinBytes } from './join-bytes'

export class ByteReader {
  private readonly reader: ReadableStreamDefaultReader<Uint8Array>
  private buffer: Uint8Array = new Uint8Array()
  private at = 0

  constructor(stream: ReadableStream<Uint8Array>) {
    this.reader = stream.getReader()
  }

  /** The next bytes, without consuming them; null if the stream ends before. */
  async peek(count: number) {
    while (this.buffer.length - this.at < count) if (!(await this.readMore())) return null
    return this.buffer.subarray(this.at, this.at + count)
  }

  async take(count: number) {
    const bytes = await this.peek(count)
    if (bytes) this.at += count
    return bytes
  }

  /** False if the stream ends before. */
  async skip(count: number) {
    let left = count
    for (;;) {
      const step = Math.min(left, this.buffer.length - this.at)
      this.at += step
      left -= step
      if (left === 0) return true
      if (!(await this.readMore())) return false
    }
  }

  /** The rest, in the pieces in which it arrives. */
  async *pieces() {
    for (let piece = await this.readPiece(); piece; piece = await this.readPiece()) yield piece
  }

  stream() {
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const piece = await this.readPiece()
        if (piece) controller.enqueue(piece)
        else controller.close()
      },
      cancel: () => this.cancel(),
    })
  }

  cancel() {
    return this.reader.cancel().catch(() => undefined)
  }

  private async readPiece() {
    if (this.at === this.buffer.length && !(await this.readMore())) return null
    const piece = this.buffer.subarray(this.at)
    this.at = this.buffer.length
    return piece
  }

  private async readMore() {
    const { done, value } = await this.reader.read()
    if (done) return false
    this.buffer = joinBytes(this.buffer.subarray(this.at), value)
    this.at = 0
    return true
  }
}
