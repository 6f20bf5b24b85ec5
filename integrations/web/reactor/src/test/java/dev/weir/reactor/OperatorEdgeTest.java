package dev.weir.reactor;

import dev.weir.Limiter;
import dev.weir.algorithms.Semaphore;
import dev.weir.engine.LimiterView;
import dev.weir.engine.Limiters;
import dev.weir.engine.ManagedLimiter;
import dev.weir.reactor.contract.PublisherCall;
import dev.weir.testkit.EdgeContract;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import reactor.core.publisher.Flux;

/** The contract of an edge: its calls are subscriptions to a limited publisher, on other threads. */
class OperatorEdgeTest extends EdgeContract {
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "edge");
        thread.setDaemon(true);
        return thread;
    });
    final ManagedLimiter limiter = Limiters.of("calls", new Semaphore(THREADS + 2));

    WeirOperator<byte[]> operator() {
        return WeirOperator.of(limiter);
    }

    @Override
    protected Limiter limiter() {
        return limiter;
    }

    @Override
    protected LimiterView view() {
        return limiter;
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return PublisherCall.supports(scenario);
    }

    @Override
    protected void close() {
        threads.shutdownNow();
    }

    @Override
    protected PublisherCall start(Scenario scenario) {
        Flux<byte[]> work = PublisherCall.work(scenario, hold);
        return PublisherCall.start(scenario, work.transformDeferred(operator()), threads);
    }

    /* A call that was aborted must not begin later: the next test would count it. */
    @Override
    protected Call startShared(Scenario scenario) {
        PublisherCall call = start(scenario);
        return new Call() {
            @Override
            public void read(int parts) throws InterruptedException {
                call.read(parts);
            }

            @Override
            public void abort() {
                call.abort();
                call.subscribed().join();
            }
        };
    }
}
