import { Modal, Stack, VisuallyHidden, Text, Button, Group } from '@mantine/core'
import { useState, lazy, Suspense } from 'react'
import { useNavigate } from 'react-router-dom'
import { AlertingStep } from './alerting-step'
import { MonitoringStep, type Chosen } from './monitoring-step'
import { useFocusBack } from '../../ui/focus-back'
import { IconCheck } from '@tabler/icons-react'
import classes from './first-steps.module.css'
import { useSession } from '../../session/session'
import { Step } from './step'
import type { ProductRow } from '../../../worker/kb/contract'
import { AppLink } from '../../ui/app-link'
import { productLabel } from '../../../worker/domain/names/product'
import { useDisclosure } from '@mantine/hooks'
import { ImportButton } from '../../monitoring/import-button'

const steps = ['Welcome', 'Monitoring', 'Alerting', 'Finish']

/** Notices appear above the dialog, so that they cover none of it. */
const noticeRoom = '6.5rem'

export function FirstStepsDialog() {
  useFocusBack()
  const navigate = useNavigate()
  const [step, setStep] = useState(0)
  const [chosen, setChosen] = useState<Chosen>({ products: [], saved: [] })
  const close = () => void navigate('/homepage', { replace: true })
  const navigation = { onNext: () => setStep(step + 1), onBack: () => setStep(step - 1) }

  return (
    <Modal
      centered={false}
      opened
      onClose={close}
      title="First steps"
      size="lg"
      yOffset={noticeRoom}
      closeOnClickOutside={false}
    >
      <Stack gap="md">
        <FirstStepsProgress current={step} />
        {step === 0 && <WelcomeStep onNext={navigation.onNext} onClose={close} />}
        {step === 1 && <MonitoringStep chosen={chosen} onChoose={setChosen} {...navigation} />}
        {step === 1 && <WholeLists />}
        {step === 2 && <AlertingStep {...navigation} />}
        {step === 3 && <FinishStep products={chosen.saved} onBack={navigation.onBack} onClose={close} />}
      </Stack>
    </Modal>
  )
}

function FirstStepsProgress({ current }: { current: number }) {
  return (
    <>
      <VisuallyHidden role="status">
        Step {current + 1} of {steps.length}: {steps[current]}
      </VisuallyHidden>
      <ol className={classes.progress} aria-label="Steps">
        {steps.map((name, index) => (
          <li key={name} aria-current={index === current ? 'step' : undefined} data-done={index < current || undefined}>
            <span className={classes.number} aria-hidden>
              {index < current ? <IconCheck size={14} /> : index + 1}
            </span>
            <span className={classes.name}>{name}</span>
          </li>
        ))}
      </ol>
    </>
  )
}

function WelcomeStep({ onNext, onClose }: { onNext: () => void; onClose: () => void }) {
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

type Props = { products: ProductRow[]; onBack: () => void; onClose: () => void }

function FinishStep({ products, onBack, onClose }: Props) {
  return (
    <Step title="You are set" onSubmit={onClose} submit="Close" onBack={onBack}>
      <Text size="sm">
        {products.length === 0 && 'You chose no product here. You can do so at any time.'}
        {products.length > 0 &&
          `You now monitor ${products.map(({ vendor, name }) => productLabel(vendor, name)).join(', ')}.`}
      </Text>
      <Text size="sm">
        Continue with <AppLink to="/products">more products</AppLink>, or read{' '}
        <AppLink to="/help">how it works</AppLink>.
      </Text>
    </Step>
  )
}

const DropZone = lazy(() => import('../../inventories/drop-zone').then((one) => ({ default: one.DropZone })))

function WholeLists() {
  const [isOpen, { toggle }] = useDisclosure(false)
  return (
    <Stack>
      <Text size="xs" c="dimmed" ta="center">
        or add everything at once
      </Text>
      <Group justify="center">
        <Button aria-expanded={isOpen} onClick={toggle}>
          Drop an SBOM or a lock file
        </Button>
        <ImportButton label="Import a CSV or XLSX list" variant="default" />
      </Group>
      {isOpen && (
        <Suspense>
          <DropZone />
        </Suspense>
      )}
    </Stack>
  )
}
