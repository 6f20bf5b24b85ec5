package dev.weir.queue.discipline;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract fails each discipline that breaks one of its promises. */
class DisciplineContractTest {
    private enum Twin {
        LOSES_THE_SECOND(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        NAMES_WHO_LEFT(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        CHANGES_ITS_MIND(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        GOES_ROUND(DisciplineContract::aRoundReturnsNoWaiterTwice),
        EVICTS_THE_NEWCOMER(DisciplineContract::anEvictedWaiterIsInTheQueue),
        COUNTS_ITSELF(DisciplineContract::noFewerGoAheadThanAnnounced),
        THROWS(DisciplineContract::everyWaitEndsOnceAndCapacityIsConservedOverAnyHistory);

        private final Consumer<DisciplineContract> caught;

        Twin(Consumer<DisciplineContract> caught) {
            this.caught = caught;
        }
    }

    private record Broken(Twin twin) implements DisciplineSpec {
        @Override
        public Discipline create() {
            return new BrokenOrder(twin);
        }

        private static final class BrokenOrder implements Discipline {
            private final Twin twin;
            private final List<Waiter> waiting = new ArrayList<>();
            private int calls;

            BrokenOrder(Twin twin) {
                this.twin = twin;
            }

            @Override
            public boolean offer(Waiter newcomer) {
                if (twin == Twin.THROWS && newcomer.request().permits() == 3) {
                    throw new IllegalStateException();
                }
                return waiting.size() == 1 && twin == Twin.LOSES_THE_SECOND || waiting.add(newcomer);
            }

            @Override
            public @Nullable Waiter next(long now, Consumer<Waiter> shed) {
                boolean second = twin == Twin.CHANGES_ITS_MIND && waiting.size() > 1 && calls++ % 2 == 0;
                return waiting.isEmpty() ? null : waiting.get(second ? 1 : 0);
            }

            @Override
            public @Nullable Waiter after(Waiter refused) {
                return twin == Twin.GOES_ROUND && !waiting.isEmpty() ? waiting.get(0) : null;
            }

            @Override
            public void remove(Waiter waiter) {
                if (twin != Twin.NAMES_WHO_LEFT) {
                    waiting.remove(waiter);
                }
            }

            @Override
            public @Nullable Waiter shedFor(Waiter newcomer) {
                return twin == Twin.EVICTS_THE_NEWCOMER ? newcomer : null;
            }

            @Override
            public int ahead(Waiter newcomer) {
                return waiting.size() + (twin == Twin.COUNTS_ITSELF ? 1 : 0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenTwinFails(Twin twin) {
        DisciplineContract contract = new DisciplineContract() {
            @Override
            protected DisciplineSpec spec() {
                return new Broken(twin);
            }
        };
        assertThrows(AssertionError.class, () -> twin.caught.accept(contract));
    }
}
