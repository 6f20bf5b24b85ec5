package dev.weir.spring.tests;

import dev.weir.spring.Limited;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The contract of an edge, for methods that return values. No caller can abort such a call. */
class LimitedValueEdgeTest extends LimitedEdge {
    private static final Set<Scenario> OF_STAGES =
            Set.of(Scenario.ASYNC, Scenario.ASYNC_EXCEPTION, Scenario.ASYNC_TIME_OUT, Scenario.ASYNC_THEN_EXCEPTION);

    static class Calls {
        private final Hold hold;

        Calls(Hold hold) {
            this.hold = hold;
        }

        @Limited("calls")
        String call(Scenario scenario) throws Exception {
            return work(scenario, hold);
        }
    }

    @Override
    Class<?>[] beans() {
        return new Class<?>[] {Calls.class};
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return super.supports(scenario) && !OF_STAGES.contains(scenario);
    }

    @Override
    protected Ending start(Scenario scenario) {
        CompletableFuture<String> end = new CompletableFuture<>();
        if (scenario == Scenario.NEVER_STARTED) {
            end.complete("never started");
        } else {
            threads.execute(() -> {
                try {
                    end.complete(bean(Calls.class).call(scenario));
                } catch (Throwable t) {
                    end.completeExceptionally(t);
                }
            });
        }
        return new Ending(end);
    }

    @Override
    protected Call startShared(Scenario scenario) {
        Ending call = start(scenario);
        return begun(call, call.end());
    }
}
