package dev.weir.jdbc;

import dev.weir.store.lease.StateLeases;
import dev.weir.store.lease.contract.HolderProcess;

/** A holder whose store is a database. */
final class DatabaseHolder {
    private DatabaseHolder() {}

    public static void main(String[] args) throws InterruptedException {
        HolderProcess.run(
                args,
                url -> StateLeases.of(
                        JdbcStore.builder(Database.source(url)).createTable().build()));
    }
}
