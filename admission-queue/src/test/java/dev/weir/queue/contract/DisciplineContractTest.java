package dev.weir.queue.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.queue.discipline.Discipline;
import dev.weir.queue.discipline.DisciplineSpec;
import dev.weir.queue.discipline.Waiter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract fails each discipline that breaks one of its promises. */
@Tag("nightly")
class DisciplineContractTest {
    private static final int ATTEMPTS = 100;

    private enum Twin {
        LOSES_THE_SECOND(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        NAMES_WHO_LEFT(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        CHANGES_ITS_MIND(DisciplineContract::noWaiterIsLostOrReturnedAfterItLeft),
        GOES_ROUND(DisciplineContract::aRoundReturnsNoWaiterTwice),
        SHEDS_THE_NEWCOMER(DisciplineContract::aWaiterThatIsShedForAnotherIsInTheQueue),
        SHEDS_THE_LAST_TO_ARRIVE(DisciplineContract::aWaiterThatIsShedForAnotherIsInTheQueue),
        REMOVES_WHEN_IT_SHEDS(DisciplineContract::aWaiterThatIsShedForAnotherIsInTheQueue),
        COUNTS_ITSELF(DisciplineContract::noFewerGoAheadThanAnnounced),
        COUNTS_ARRIVALS(DisciplineContract::noFewerGoAheadThanAnnounced),
        THROWS(DisciplineContract::everyWaitEndsOnceAndCapacityIsConservedOverAnyHistory);

        private final Consumer<DisciplineContract> caught;

        Twin(Consumer<DisciplineContract> caught) {
            this.caught = caught;
        }

        DisciplineContract contract() {
            return new DisciplineContract() {
                @Override
                protected DisciplineSpec spec() {
                    return new Broken(Twin.this);
                }
            };
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
                return switch (twin) {
                    case SHEDS_THE_NEWCOMER -> newcomer;
                    case SHEDS_THE_LAST_TO_ARRIVE ->
                        Stream.concat(waiting.stream(), Stream.of(newcomer))
                                .max(Comparator.comparingLong(Waiter::sequence))
                                .orElseThrow();
                    case REMOVES_WHEN_IT_SHEDS -> waiting.isEmpty() ? null : waiting.remove(waiting.size() - 1);
                    default -> null;
                };
            }

            @Override
            public int ahead(Waiter newcomer) {
                return switch (twin) {
                    case COUNTS_ITSELF -> waiting.size() + 1;
                    case COUNTS_ARRIVALS ->
                        waiting.isEmpty()
                                ? 0
                                : (int) (newcomer.sequence() - waiting.get(0).sequence());
                    default -> waiting.size();
                };
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBrokenTwinFails(Twin twin) {
        fails(twin, twin.caught);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "SHEDS_THE_NEWCOMER",
                "SHEDS_THE_LAST_TO_ARRIVE",
                "REMOVES_WHEN_IT_SHEDS",
                "COUNTS_ITSELF",
                "COUNTS_ARRIVALS"
            })
    void aWrongAnswerAboutANewcomerFailsInAQueueToo(Twin twin) {
        fails(twin, DisciplineContract::everyWaitEndsOnceAndCapacityIsConservedOverAnyHistory);
    }

    /* Histories are random, and a few hundred of them may spare a twin. */
    private static void fails(Twin twin, Consumer<DisciplineContract> test) {
        assertThrows(AssertionError.class, () -> {
            for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
                test.accept(twin.contract());
            }
        });
    }
}
