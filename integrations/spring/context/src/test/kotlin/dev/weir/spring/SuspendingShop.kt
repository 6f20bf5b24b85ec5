package dev.weir.spring

import java.util.concurrent.CompletableFuture
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.future.await

/** Limited functions of Kotlin, which wait for the futures of a test. */
open class SuspendingShop {
    @Limited(name = "by-user", key = "#user")
    open suspend fun sell(user: String, until: CompletableFuture<String>): String = user + " has " + until.await()

    @Limited("checkout")
    open fun list(until: CompletableFuture<String>): Flow<String> = flow {
        emit("first")
        emit(until.await())
    }
}
