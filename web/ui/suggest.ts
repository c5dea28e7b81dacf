import type { KeyboardEvent, ReactNode } from 'react'

export type SuggestProps = {
  text: string
  listId: string
  /** Tells the field who takes its keys. */
  onKeys: (press: (event: KeyboardEvent) => void) => void
  /** Tells the field which option is active. */
  onActive: (elementId: string | undefined) => void
  onType: (text: string) => void
  onClose: () => void
}
export type Suggest = (props: SuggestProps) => ReactNode
