package dev.weir.samples;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.config.ConfigEvent;
import dev.weir.config.ConfigSource;
import dev.weir.config.Reading;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitPlan;
import dev.weir.config.document.LimitsDocument;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A source that has a ledger check one limit, whoever changes the document: it raises the ledger's bound before the registry
 * sees a document with a higher limit, and lowers the bound after the registry says that a lower one is in force. The limit is
 * read from the document, not from the limiter.
 */
final class LedgerSource implements ConfigSource {
    /*
     * `read` and the listener of the registry are called by one thread, in this order for each new document:
     *
     *     read: bound := max(in force, new)   the registry applies the document   event: bound := the one in force
     */
    private final ConfigSource source;
    private final Ledger ledger;
    private final String limiter;
    private final long declared;
    private final long cap;
    private final DocumentReader reader = DocumentReader.system();
    private @Nullable Reading last;
    private long inForce;
    private long offered;

    /** {@code declared} and {@code cap} are what code says of the limiter: its limit without a document, and its highest. */
    LedgerSource(ConfigSource source, Ledger ledger, String limiter, long declared, long cap) {
        this.source = source;
        this.ledger = ledger;
        this.limiter = limiter;
        this.declared = declared;
        this.cap = cap;
        this.inForce = declared;
        this.offered = declared;
    }

    @Override
    public Reading read() throws Exception {
        Reading reading = source.read();
        if (last == null || !reading.isSameAs(last) || reading.revision() != last.revision()) {
            last = reading;
            offered = limit(reading);
            ledger.setBound(Math.max(inForce, offered));
        }
        return reading;
    }

    /** A document that is not in force, or not for this limiter, leaves its limit as it was. */
    void decided(ConfigEvent event) {
        if (event instanceof ConfigEvent.Changed changed
                && changed.problems().stream()
                        .noneMatch(problem -> problem.limiter().equals(limiter))) {
            inForce = offered;
        }
        ledger.setBound(inForce);
    }

    /** For a staged document, the higher of the two limits. */
    private long limit(Reading reading) {
        return Math.max(limit(reading, 0), limit(reading, 100));
    }

    private long limit(Reading reading, double place) {
        try {
            LimitsDocument document = reader.read(name(), reading.content(), reading.format(), any -> place);
            LimitPlan plan = document.limits().get(limiter);
            if (plan == null) {
                return document.faulty().contains(limiter) ? inForce : declared;
            }
            boolean varies = plan.adaptive() != null || plan.spec() instanceof AllOf;
            return varies ? cap : plan.spec().create(Ticker.system()).target();
        } catch (DocumentException e) {
            return inForce;
        }
    }

    @Override
    public String name() {
        return source.name();
    }

    @Override
    public void watch(Runnable changed) throws Exception {
        source.watch(changed);
    }

    @Override
    public Duration readEvery() {
        return source.readEvery();
    }

    @Override
    public void close() {
        source.close();
    }
}
