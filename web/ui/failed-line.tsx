import { Anchor } from '@mantine/core'

type Props = { text: string; query: { error: Error | null; refetch: () => unknown } }

export const FailedLine = ({ text, query: { error, refetch } }: Props) =>
  error && (
    <span role="alert">
      {text}{' '}
      <Anchor component="button" type="button" inherit onClick={() => void refetch()}>
        Retry
      </Anchor>
    </span>
  )
