package dev.weir.distributed.remote;

import dev.weir.Decision;
import dev.weir.Request;
import org.jspecify.annotations.Nullable;

/** One command for each decision. */
record ExactDecider(RemoteLimit store, Decisions decisions) implements Decider {
    @Override
    public @Nullable Decision tryNow(Request request) {
        return null;
    }

    @Override
    public void ask(RemoteRequest request) {
        decisions.ask(store, request, reply -> {});
    }

    @Override
    public void close() {}
}
