import PureCrypto
import Wire

/// RSA verification (PKCS #1 v1.5, SHA-256) on a message of 300 bytes, the size of a token.
///
/// OpenSSL made the keys and signatures; what would sign with them is nowhere.
func rsaBenchmarks() throws -> [Benchmark] {
    try [("rsa2048", rsa2048), ("rsa4096", rsa4096)].flatMap { name, sample in
        let (message, exponent) = (Samples.bytes(300), [1, 0, 1] as [UInt8])
        let modulus = try Hex.decode(sample.modulus.joined())
        let signature = try Hex.decode(sample.signature.joined())
        let key = try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent)
        return [
            Benchmark("\(name)-verify") {
                key.isValidSignature(signature, for: message, padding: .pkcs1v15, hash: .sha256)
            },
            Benchmark("\(name)-key") { try? RSA.Signing.PublicKey(modulus: modulus, exponent: exponent) },
        ]
    }
}

private struct RSASample {
    let modulus: [String]
    let signature: [String]
}

private let rsa2048 = RSASample(
    modulus: [
        "d8f11e0bc5148e44cf94091228f49956e597cfbd4b51ef1c8f6f4157b8f63d1258f603e91c6c298dcb777d6465802048",
        "12add4f97b79df690b2059c5ea741600f2e78658c966578ee119d9ed2b5c1e3e16b3556eaa12eec502efe8b1702ef0f6",
        "a2799fd39a88b3e9db3c3bebf5bfef824ae785e1527cdd303cca07f03b407e88adb08267cfff205763fab95e0a877a80",
        "da37216cc92879ab404012a76529d352d9ac79f756469e62ed34f65e276b0331422946225fa8625a2ea27d512bafabbb",
        "7a121ce4e90a05003985aa8dc48901f19e9b243d4560dea250c4aa3bb6fc0eb8d5368f5ca4e8635919c15598b917c21a",
        "1942938a1ef29d27e9f828d2ba7cf699",
    ],
    signature: [
        "cfdf0a32d9b50295fcc5a10449b2ca8ab147a22fe87f56d163697a920e7572c39d03445e379d2a4f5d10255ac7535097",
        "514c41234124b22ff16a92f26b8b7d638a2deee054b8acd2dcb9aedcac62b5bb58b102339644ac2d7ed86d00d5eed33c",
        "8e3557e4f8dc141c7992d5064afacbd12771fa7bb3e115950576853b305a51283cc2ee57355069b16063b603ce03e0e7",
        "c46b9db169f0b5462377650cee87a8051f24fb132f251a6c13c7b80e20c7550c4ef928ce12c171198ecfe9961145c755",
        "76c3610ba0b7e25a6015a4f3649b70f4f82c611136d3636a119a254182a5c404c76178f1eff497322356cccb3696f217",
        "efecd6c896f700b9bb250a4c34e19ccc",
    ])

private let rsa4096 = RSASample(
    modulus: [
        "ca0c6dbebff7f636af2b70016e1868ae51a85e4ce0661a9d5585f8eef26326a9e47daa95b2ae137e6297603395c72e2a",
        "64546bb53a596c16a7ffa17aeea16121f57cb76a1c263bf2168fcc521002e119b9d89953d1fd08745ca5f52eb497c282",
        "8c826ed1263b8e12a49bb980229052901ed99d0357aa024594a99a0d66eb2ac8113e58ff4b5892bf038f65586bbd2366",
        "000b55c17af008a9b16637d08e7e14ba1cbc9c12a8104ad80fb7f3d262a8720fe352b19a77d6ec92ac0182921abcaf4f",
        "0d1f040876782a2077cafc727eb85ae103028c1122d530c606bb231b391cb9f2df6d33bed9c018d74d10190cc4f39a17",
        "36912d1fd51990b5b24ed299cf4ecc3fcf0fa9fb7c7bd57b993f12ce2ae9790fb26b821c9fb1b2a09d3f2e9114f222e7",
        "b5f8ad9a74ff80331e4bfc12a09b5c303bb9dae66c51d4689e9c08a5d4fd5d0b4caded27f2bb5417e85d050b0715ffc2",
        "085e30cfec33e42e5838980f5bff06dd52545907c4cc5b73a96d2b6fd7f0eaf6665dc3a3e9ea36cb01a75a51e4ff8679",
        "6a402938c4f8f207369bdbd1d1ab0a1de02e9b9a85739f2efa47cc22ca7ed0bf9ab5ab5baec781d7955069f3d57868a6",
        "18d6246b96e1f75039e9e76b6ad47ba72095a667fd5879ae1054333b464cd828a7ea68c50a50d994ddbff9b53a379a07",
        "87583709f6a39b888af2198369085e38068fa3f352906cf6fd8b7fe1a716caf5",
    ],
    signature: [
        "baf99b70f644d57bd878795bb62dd2547b23353aa6bb0d30c8ed6145cabbb81fad4daa8c7dfa856a344efde5d3784700",
        "79d3687441c75f350dc6a5b0214102d834ccc9409a8af6be7aab2822cdc5e567f1c6911537f6fb28574f88e2b3d77fcd",
        "99d6e75bd22e4b4a5651a631c8267f40b4da59f28458b529672f9de944a00975d6603e9a669982e3912fa4fd734d597d",
        "4a3fce8c702c3ed46fac24e45a9f47665a6ad10d76989ebb47970978320201d211b878c4c97a13888ccb6d4b7620de1d",
        "9f132a648fc9da414c5f5d42f310b805233ded6047befa96f8d3e16355135567adef327f6922046f3cd2033918429374",
        "e0420bf4b2814c792d6f5529faad5960e6103311d62026cbd6a491bcc405e9fb80bafd0bb0dcbb65f762c467137c1a4f",
        "878aac91977e74238ef5d5296ede3b444ea298f2674b0aed7aaa2ed03594d440f7a899d28a7d0d224e9c2fa0ef879134",
        "0e1412841ef24d67e5967357c30ac135a56c6917ba3acad99566d989beb44d8748ff5798db1eb042ecb376a5d48cdbc0",
        "519a72d92edb58c58b5b0f8417dedea87424b80a708633c39d95f728fe2f5f46f883f59f87de577d5f049d006aab9604",
        "ef4d1ec5b4376da68b2257060578948a1a806c53fbf8728b54a7553fde0605b91e1fe8e8012a380e65eb9ecc2af251d9",
        "d7b9ad8dcea29ca6ab22c674a09a1ae047f6238a1155cd3161d182dcad216f57",
    ])
