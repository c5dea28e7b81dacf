import { Text } from '@mantine/core'
import { useSession } from '../../session/session'
import { Step } from './step'

export function WelcomeStep({ onNext, onClose }: { onNext: () => void; onClose: () => void }) {
  const { org } = useSession()
  return (
    <Step title="Welcome to Earshot" onSubmit={onNext} back="Close" onBack={onClose}>
      <Text size="sm">
        Earshot listens to the public vulnerability feeds, and tells {org?.name ?? 'your organization'} within minutes
        what concerns it. Two things are worth setting up now:
      </Text>
      <Text size="sm" component="ul" m={0} pl="lg">
        <li>up to three products that you run, so that your home page has something to show;</li>
        <li>the addresses that alerts go to.</li>
      </Text>
      <Text size="sm">Both can be changed at any time, and you can leave at any time.</Text>
    </Step>
  )
}
