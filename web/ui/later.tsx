import type { ReactNode } from 'react'

/** Asks for its data with the page, and stands in it when the parts above have their height: nothing that was seen moves. */
export const Later = ({ when, children }: { when: boolean; children: ReactNode }) => (
  <div style={{ display: when ? 'contents' : 'none' }}>{children}</div>
)
