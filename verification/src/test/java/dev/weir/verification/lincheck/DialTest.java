package dev.weir.verification.lincheck;

import dev.weir.algorithms.Semaphore;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Acquire and release against the dial. */
@Tag("proof")
class DialTest {
    @Test
    void S1_noAdmissionAboveTheLimitWhileTheDialIsTurned() {
        Proof.holds(OfSemaphore.class, FromOne.class);
    }

    @Test
    void S1_brokenTwin_limitAndCountInTwoWordsAdmitAgainstAStaleLimit() {
        Proof.fails(OfTwoWords.class, FromOne.class);
    }

    @Test
    void S2_S9_releaseAgainstRaiseAgainstShrinkLosesNothing() {
        Proof.holds(HeldOfSemaphore.class, Held.class);
    }

    @Test
    void S2_S9_brokenTwin_aPlainWriteOfTheLimitLosesARelease() {
        Proof.fails(HeldOfPlainLimitWrite.class, Held.class);
    }

    public static final class OfSemaphore extends Dialling {
        public OfSemaphore() {
            super(new Semaphore(1), 0);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class OfTwoWords extends Dialling {
        public OfTwoWords() {
            super(new Twins.TwoWords(1), 0);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class FromOne extends Dialling.Sequential {
        public FromOne() {
            super(1, 0);
        }
    }

    public static final class HeldOfSemaphore extends Dialling {
        public HeldOfSemaphore() {
            super(new Semaphore(3), 1);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class HeldOfPlainLimitWrite extends Dialling {
        public HeldOfPlainLimitWrite() {
            super(new Twins.PlainLimitWrite(3), 1);
        }

        @Validate
        public void capacity() {
            checkCapacity();
        }
    }

    public static final class Held extends Dialling.Sequential {
        public Held() {
            super(3, 1);
        }
    }
}
