import { Fragment } from 'react'

/** A line breaks after a slash, as of an address or a vector, and not within a part that fits. */
export const Slashed = ({ text }: { text: string }) =>
  text.split('/').map((part, at) => (
    <Fragment key={at}>
      {at > 0 && '/'}
      <wbr />
      {part}
    </Fragment>
  ))
