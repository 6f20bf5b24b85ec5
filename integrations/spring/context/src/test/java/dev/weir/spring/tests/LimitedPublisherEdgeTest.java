package dev.weir.spring.tests;

import dev.weir.reactor.contract.PublisherCall;
import dev.weir.spring.Limited;
import reactor.core.publisher.Flux;

/** The contract of an edge, for methods that return publishers: its calls are subscriptions, on other threads. */
class LimitedPublisherEdgeTest extends LimitedEdge {
    static class Calls {
        private final Hold hold;

        Calls(Hold hold) {
            this.hold = hold;
        }

        @Limited("calls")
        Flux<byte[]> call(Scenario scenario) {
            return PublisherCall.work(scenario, hold);
        }
    }

    @Override
    Class<?>[] beans() {
        return new Class<?>[] {Calls.class};
    }

    @Override
    protected boolean supports(Scenario scenario) {
        return PublisherCall.supports(scenario);
    }

    @Override
    protected PublisherCall start(Scenario scenario) {
        return PublisherCall.start(scenario, bean(Calls.class).call(scenario), threads);
    }

    @Override
    protected Call startShared(Scenario scenario) {
        PublisherCall call = start(scenario);
        return begun(call, call.subscribed());
    }
}
