import { Button } from '@mantine/core'
import { IconMapQuestion } from '@tabler/icons-react'
import { Link } from 'react-router-dom'
import { EmptyState } from './empty-state'
import { Page } from './page'

type Props = { title: string; to: string; label: string; text?: string }

export function MissingState({ title, to, label, text = 'It may have been removed, or the link is wrong.' }: Props) {
  return (
    <Page title={title}>
      <EmptyState title="There is nothing at this address" text={text} icon={IconMapQuestion}>
        <Button component={Link} to={to} size="xs">
          {label}
        </Button>
      </EmptyState>
    </Page>
  )
}
