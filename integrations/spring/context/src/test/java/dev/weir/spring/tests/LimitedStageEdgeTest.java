package dev.weir.spring.tests;

import dev.weir.spring.Limited;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** The contract of an edge, for methods that return stages. */
class LimitedStageEdgeTest extends LimitedEdge {
    static class Calls {
        private final Hold hold;
        private final ExecutorService threads;

        Calls(Hold hold, ExecutorService threads) {
            this.hold = hold;
            this.threads = threads;
        }

        @Limited("calls")
        CompletableFuture<String> call(Scenario scenario) throws Exception {
            return stage(scenario, hold, threads);
        }
    }

    @Override
    Class<?>[] beans() {
        return new Class<?>[] {Calls.class};
    }

    @Override
    protected Stage start(Scenario scenario) {
        CompletableFuture<CompletableFuture<String>> made = scenario == Scenario.NEVER_STARTED
                ? CompletableFuture.completedFuture(CompletableFuture.completedFuture(""))
                : CompletableFuture.supplyAsync(() -> stage(scenario), threads);
        return new Stage(made);
    }

    @Override
    protected Call startShared(Scenario scenario) {
        Stage call = start(scenario);
        return begun(call, call.made);
    }

    private CompletableFuture<String> stage(Scenario scenario) {
        try {
            return bean(Calls.class).call(scenario);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A call by another thread, because the method may wait before it returns its stage. */
    private record Stage(CompletableFuture<CompletableFuture<String>> made) implements Call {
        @Override
        public void read(int parts) {
            if (parts > 0) {
                CompletableFuture<String> end = made.join().handle((value, thrown) -> value);
                end.join();
            }
        }

        @Override
        public void abort() {
            CompletableFuture<Void> unused = made.thenAccept(stage -> stage.cancel(true));
        }
    }
}
