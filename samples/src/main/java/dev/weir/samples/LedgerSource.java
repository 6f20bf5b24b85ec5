package dev.weir.samples;

import dev.weir.Ticker;
import dev.weir.algorithms.AllOf;
import dev.weir.config.document.DocumentException;
import dev.weir.config.document.DocumentReader;
import dev.weir.config.document.LimitsDocument;
import dev.weir.config.source.ConfigSource;
import dev.weir.config.source.InstanceStatus;
import dev.weir.config.source.Reading;
import dev.weir.named.plan.LimitPlan;
import java.time.Duration;

/**
 * A source that has a ledger check one limit, whatever program changes the document: it raises the ledger's bound before the registry
 * sees a document with a higher limit, and lowers the bound after a lower one is in force. The limit is read from the document,
 * not from the limiter.
 */
final class LedgerSource implements ConfigSource {
    /*
     * The thread of the registry that reads the source decides about each document before it reads again, and has the source
     * acknowledge its decision in between, unless the document changes nothing:
     *
     *     read: bound := max(in force, new)    the registry decides    acknowledge: bound := in force    read ...
     */
    private final ConfigSource source;
    private final Ledger ledger;
    private final String limiter;
    private final long declared;
    private final long cap;
    private final DocumentReader reader = DocumentReader.system();
    private volatile String version = "";
    private String offeredVersion = "";
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

    /** The version that the bound was last lowered for. */
    String version() {
        return version;
    }

    @Override
    public Reading read() throws Exception {
        ledger.setBound(inForce);
        Reading reading = source.read();
        offeredVersion = "";
        offered = limit(reading);
        ledger.setBound(Math.max(inForce, offered));
        return reading;
    }

    @Override
    public boolean acknowledges() {
        return true;
    }

    @Override
    public void acknowledge(InstanceStatus status) {
        if (status.result() == InstanceStatus.Result.ACCEPTED
                && status.running().equals(offeredVersion)) {
            inForce = offered;
        }
        ledger.setBound(inForce);
        version = status.offered();
    }

    /** For a staged document, the higher of the two limits. */
    private long limit(Reading reading) {
        return Math.max(limit(reading, 0), limit(reading, 100));
    }

    private long limit(Reading reading, double place) {
        try {
            LimitsDocument document = reader.read(name(), reading.content(), reading.format(), any -> place);
            offeredVersion = Long.toString(document.header().version());
            LimitPlan plan = document.limits().get(limiter);
            if (plan == null) {
                return document.faulty().contains(limiter) ? inForce : declared;
            }
            boolean varies = plan.find(LimitPlan.ADAPTIVE) != null || plan.spec() instanceof AllOf;
            long limit = varies ? cap : plan.spec().create(Ticker.system()).limit();
            return limit > cap ? inForce : limit;
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
