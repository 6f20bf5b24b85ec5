package consumers;

import dev.weir.LimitExceededException;
import dev.weir.Permit;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.reactor.WeirOperator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A limit for publishers, while it decides and is changed. */
public final class Reactor {
    private Reactor() {}

    public static void main(String[] args) {
        ManagedLimiter orders = Limiters.of("orders", new Semaphore(1));
        Mono<Long> inFlight =
                Mono.fromSupplier(() -> orders.snapshot().inFlight()).transformDeferred(WeirOperator.of(orders));
        Check.expect(1L, inFlight.block());
        Check.expect(
                6,
                Flux.just(1, 2, 3)
                        .transformDeferred(WeirOperator.of(orders))
                        .reduce(Integer::sum)
                        .block());
        Permit held = (Permit) orders.tryAcquire();
        Check.expect(
                -1L, inFlight.onErrorReturn(LimitExceededException.class, -1L).block());
        orders.dial().setLimit(2);
        Check.expect(2L, inFlight.block());
        held.close();
        Check.expect(0L, orders.snapshot().inFlight());
    }
}
