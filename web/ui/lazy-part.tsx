import { Button } from '@mantine/core'
import { IconCloudOff } from '@tabler/icons-react'
import { Component, Suspense, type ReactNode } from 'react'
import { isCodeLost, lostCodeWords } from '../lib/lost-code'
import { showError } from '../lib/notice'
import { EmptyState } from './empty-state'

type Props = {
  fallback?: ReactNode
  /** Closes a dialog, which cannot be shown. */
  onLost?: () => void
  children: ReactNode
}

/** Loads its code when it is shown; where that cannot be loaded, the page around it stays. */
export class LazyPart extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {}

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown) {
    const { onLost } = this.props
    if (!onLost || !isCodeLost(error)) return
    showError(lostCodeWords)
    onLost()
  }

  override render() {
    const { error } = this.state
    const { fallback, onLost, children } = this.props
    if (error === undefined) return <Suspense fallback={fallback}>{children}</Suspense>
    if (!isCodeLost(error)) throw error
    if (onLost) return null
    return (
      <EmptyState title={lostCodeWords} icon={IconCloudOff}>
        <Button size="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </EmptyState>
    )
  }
}
