package dev.weir.spring.tests;

import dev.weir.spring.Limited;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.AsyncConfigurer;
import org.springframework.scheduling.annotation.EnableAsync;

/** The contract of an edge, for {@code @Async} methods. An abort does not reach work that runs. */
class LimitedAsyncEdgeTest extends LimitedEdge {
    @EnableAsync
    static class Tasks implements AsyncConfigurer {
        private final ExecutorService threads;

        Tasks(ExecutorService threads) {
            this.threads = threads;
        }

        @Override
        public Executor getAsyncExecutor() {
            return threads;
        }
    }

    static class Calls {
        private final Hold hold;
        private final ExecutorService threads;

        Calls(Hold hold, ExecutorService threads) {
            this.hold = hold;
            this.threads = threads;
        }

        @Async
        @Limited("calls")
        CompletableFuture<String> call(Scenario scenario) throws Exception {
            return stage(scenario, hold, threads);
        }
    }

    @Override
    Class<?>[] beans() {
        return new Class<?>[] {Tasks.class, Calls.class};
    }

    @Override
    protected Ending start(Scenario scenario) throws Exception {
        return new Ending(
                scenario == Scenario.NEVER_STARTED
                        ? CompletableFuture.completedFuture("")
                        : bean(Calls.class).call(scenario));
    }

    @Override
    protected Call startShared(Scenario scenario) throws Exception {
        Ending call = start(scenario);
        return begun(call, call.end());
    }
}
