import { Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { FirstStepsProgress } from './progress'
import { AlertingStep } from './alerting-step'
import { FinishStep } from './finish-step'
import { MonitoringStep } from './monitoring-step'
import type { Chosen } from './monitoring-step'
import { WelcomeStep } from './welcome-step'
import { WholeLists } from '../whole-lists'
import { useFocusBack } from '../../ui/focus-back'

const steps = ['Welcome', 'Monitoring', 'Alerting', 'Finish']

/** Notices appear above the dialog, so that they cover none of it. */
const noticeRoom = '6.5rem'

export function FirstStepsDialog() {
  useFocusBack()
  const navigate = useNavigate()
  const [step, setStep] = useState(0)
  const [chosen, setChosen] = useState<Chosen>({ products: [], saved: [] })
  const close = () => void navigate('/homepage', { replace: true })
  const ways = { onNext: () => setStep(step + 1), onBack: () => setStep(step - 1) }

  return (
    <Modal opened onClose={close} title="First steps" size="lg" yOffset={noticeRoom} closeOnClickOutside={false}>
      <Stack gap="md">
        <FirstStepsProgress steps={steps} current={step} />
        {step === 0 && <WelcomeStep onNext={ways.onNext} onClose={close} />}
        {step === 1 && <MonitoringStep chosen={chosen} onChoose={setChosen} {...ways} />}
        {step === 1 && <WholeLists />}
        {step === 2 && <AlertingStep {...ways} />}
        {step === 3 && <FinishStep products={chosen.saved} onBack={ways.onBack} onClose={close} />}
      </Stack>
    </Modal>
  )
}
