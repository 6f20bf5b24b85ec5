package dev.weir.http.source.internal;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The body of an answer; one that is too large ends the transfer. */
final class LimitedBody implements BodySubscriber<byte[]> {
    private final int limit;
    private final ByteArrayOutputStream received = new ByteArrayOutputStream();
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private Flow.@Nullable Subscription subscription;

    LimitedBody(int limit) {
        this.limit = limit;
    }

    @Override
    public CompletionStage<byte[]> getBody() {
        return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
        this.subscription = subscription;
        subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
        for (ByteBuffer part : parts) {
            if (body.isDone()) {
                return;
            }
            byte[] bytes = new byte[part.remaining()];
            part.get(bytes);
            received.writeBytes(bytes);
            if (received.size() > limit) {
                body.completeExceptionally(new IOException("is larger than " + limit + " bytes"));
                if (subscription != null) {
                    subscription.cancel();
                }
            }
        }
    }

    @Override
    public void onError(Throwable thrown) {
        body.completeExceptionally(thrown);
    }

    @Override
    public void onComplete() {
        body.complete(received.toByteArray());
    }
}
